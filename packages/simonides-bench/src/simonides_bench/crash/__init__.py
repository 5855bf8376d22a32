"""Power cuts, kills, failing disks, flipped bits and jumping clocks, on purpose and counted."""
