"""`simonides bench desk`: how well questions about real files are answered.

Knows labelled data, what is asked and how it is judged. Must not know how anything is found.
"""
