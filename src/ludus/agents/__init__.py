"""Agents: whatever chooses actions."""
