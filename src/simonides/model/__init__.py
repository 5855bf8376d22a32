"""The words of the project as frozen records: what is kept, asked and answered."""
