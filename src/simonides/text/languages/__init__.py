"""The words by which questions steer and times are said, a file a language."""
