#!/usr/bin/env python3
"""Holds a lock of etcd whenever it can, and writes down when, as a node's log has it: etcd-lock.py ENDPOINT TTL LOG"""
import json
import subprocess
import sys
import time

endpoint, ttl, path = sys.argv[1:4]
command = ["etcdctl", "--endpoints", endpoint, "--dial-timeout", "1s", "lock", "--ttl", ttl, "leader"]


def say(**entry):
    with open(path, "a") as log:
        print(json.dumps(entry), file=log)


def now():
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * 1e6)


while True:
    # It prints the lock's key when it has it, and ends when its session has.
    client = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if client.stdout.readline():
        say(message="confirmed", at=now())
        client.wait()
        say(message="confirmed no longer", until=now())
    client.wait()
    time.sleep(0.1)
