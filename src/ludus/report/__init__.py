"""Reports: pages for a browser that need nothing beside themselves, with static figures and tables as files."""
