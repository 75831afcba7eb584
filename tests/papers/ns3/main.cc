/* Runs one scenario in ns-3 and prints one JSON object.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "network.h"

#include <iostream>
#include <iterator>

static int
simulate (const std::string &text)
{
  g_autoptr (GError) error = nullptr;
  Scenario scenario;

  if (!scenario_read (text, scenario, &error)) {
    std::cerr << "rtpadapt-ns3: " << error->message << "\n";
    return 1;
  }
  try {
    Network network (scenario);

    network.run ();
    std::cout << network.json () << "\n";
  } catch (const std::exception &e) {
    std::cerr << "rtpadapt-ns3: " << e.what () << "\n";
    return 1;
  }
  return 0;
}

int
main (int argc, char **argv)
{
  if (argc > 1) {
    g_autofree gchar *keys = scenario_describe ();

    std::cout << "usage: " << argv[0] << " < SCENARIO, a key file:\n" << keys;
    return std::string (argv[1]) == "--help" ? 0 : 2;
  }
  return simulate (std::string (std::istreambuf_iterator<char> (std::cin),
      std::istreambuf_iterator<char> ()));
}
