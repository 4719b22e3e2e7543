"""Measurements in the form that Prometheus reads."""

from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from crawlmesh.observability.metrics import METRICS, Metric, MetricKind

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class PrometheusMeasurements:
    """Implements `crawlmesh.observability.metrics.Measurements` with a registry of its own."""

    def __init__(self, metrics: Sequence[Metric] = METRICS) -> None:
        self._registry = CollectorRegistry()
        self._counters: dict[str, Counter] = {}
        self._gauges: dict[str, Gauge] = {}
        self._histograms: dict[str, Histogram] = {}
        for metric in metrics:
            self._register(metric)

    def _register(self, metric: Metric) -> None:
        name, text, labels = metric.name, metric.help, metric.labels
        if metric.kind is MetricKind.COUNTER:
            self._counters[name] = Counter(name, text, labels, registry=self._registry)
        elif metric.kind is MetricKind.GAUGE:
            self._gauges[name] = Gauge(name, text, labels, registry=self._registry)
        else:
            self._histograms[name] = Histogram(
                name, text, labels, registry=self._registry, buckets=metric.bounds
            )

    def add(self, metric: Metric, amount: float = 1.0, *labels: str) -> None:
        """Let a counter grow."""
        counter = self._counters[metric.name]
        (counter.labels(*labels) if labels else counter).inc(amount)

    def set(self, metric: Metric, value: float, *labels: str) -> None:
        """Tell the value of a gauge."""
        gauge = self._gauges[metric.name]
        (gauge.labels(*labels) if labels else gauge).set(value)

    def observe(self, metric: Metric, value: float, *labels: str) -> None:
        """Put a value into a histogram."""
        histogram = self._histograms[metric.name]
        (histogram.labels(*labels) if labels else histogram).observe(value)

    def text(self) -> bytes:
        """Everything, in the text format 0.0.4."""
        return generate_latest(self._registry)
