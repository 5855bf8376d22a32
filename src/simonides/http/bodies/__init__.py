"""What may be sent: models of bodies and query strings, a file for each subject, as in `routes`.

They own `pydantic` beside `route` and `reading`. Must not know any verb; `given` turns a model into
a verb's arguments.
"""
