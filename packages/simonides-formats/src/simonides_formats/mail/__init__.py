"""Mails of Outlook and Apple Mail, and contacts."""
