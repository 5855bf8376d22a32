"""Throwaway servers for tests: PostgreSQL and Valkey, each from a package that brings its programs.

A server listens on a free port of 127.0.0.1, is stopped by its process id, and leaves nothing.
"""
