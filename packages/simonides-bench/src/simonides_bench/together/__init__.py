"""`simonides bench together`: several processes with several threads each work on one space.

Knows what each of them may rely on while the others write. Must not know how a space keeps order.
"""
