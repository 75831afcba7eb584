# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page that shows the video, for webrtc.py and webrtcsink.py."""
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'view.html')


class ViewServer:
    """Serves the page at http://127.0.0.1:port; 0: any port that is free.

    gets: {path: function that returns what the page gets as JSON}
    posts: {path: function that takes what the page says}
    """

    def __init__(self, port, gets, posts):
        class Handler(BaseHTTPRequestHandler):
            def answer(self, kind, body):
                self.send_response(200)
                self.send_header('Content-Type', kind)
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                path = self.path.partition('?')[0]
                if path == '/':
                    with open(PAGE, 'rb') as page:
                        self.answer('text/html', page.read())
                elif path in gets:
                    self.answer('application/json',
                                json.dumps(gets[path]()).encode())
                else:
                    self.send_error(404)

            def do_POST(self):
                body = self.rfile.read(int(self.headers['Content-Length']))
                if self.path not in posts:
                    self.send_error(404)
                    return
                posts[self.path](json.loads(body))
                self.answer('text/plain', b'')

            def log_message(self, *words):
                pass

        self.server = ThreadingHTTPServer(('127.0.0.1', port), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
