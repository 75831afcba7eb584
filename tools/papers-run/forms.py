# Whether the engine still takes all that the papers' files ask for: .2 s of each form.
# SPDX-License-Identifier: LGPL-2.1-or-later
import re

from runner import Job


def words(scenario):
    """What an engine may refuse: each group's keys, and values that are words."""
    found = set(re.findall(r'^[^\[=]+=[^\d\n]+$', scenario, re.M))
    for group in scenario.split('\n\n'):
        name = re.match(r'\[(\w+)|$', group)[1]
        kind = ''.join(re.findall(r'^kind=.*', group, re.M))
        found.add((name, kind, *sorted(re.findall(r'^([^\[=]+)=', group, re.M))))
    return found


def shortest(scenario):
    return re.sub(r'^warmup=.*', 'warmup=0', re.sub(
        r'^seconds=.*', 'seconds=.2', scenario, flags=re.M), flags=re.M)


def forms(papers):
    """{paper: jobs of .2 s} in which each word of its scenarios occurs."""
    found = {}
    for paper in papers:
        seen, jobs = set(), []
        for experiment in paper.experiments.values():
            for point in experiment.points:
                scenario = experiment.scenario(point, 1)
                if words(scenario) <= seen:
                    continue
                seen |= words(scenario)
                jobs.append(Job(shortest(scenario), '%s %s %s' % (
                    paper.name, experiment.name,
                    ' '.join('%s=%s' % item for item in point.items()))))
        found[paper.name] = jobs
    return found


def check_forms(runner, papers):
    """Whether the engine still takes what is recorded; prints TAP."""
    found = forms(papers)
    done = runner.run([job for jobs in found.values() for job in jobs], False,
                      lambda job: None)
    refused = 0
    for number, (name, jobs) in enumerate(found.items(), 1):
        wrong = [job.error for job in jobs if job.result is None]
        refused += len(wrong)
        print('%sok %d - %s: the engine takes each of %d forms' % (
            'not ' if wrong else '', number, name, len(jobs)))
        for error in wrong:
            print('# %s' % (error or 'stopped'))
    print('1..%d' % len(found))
    return done, refused
