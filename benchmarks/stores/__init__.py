"""What the crawl stores can do, beside scrapy-redis and Crawlee on the same Redis: `make bench-stores`."""
