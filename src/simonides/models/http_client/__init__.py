"""What every adapter of an endpoint needs: its address, its key, and when to ask again; pure."""
