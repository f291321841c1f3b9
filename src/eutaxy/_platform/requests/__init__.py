"""Driver events: requests from outside, and their redelivery."""
