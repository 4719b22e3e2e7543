/** What is asked about one task. What changes without events is asked for again while nodes work on it. */
import { useQuery } from "@tanstack/react-query";
import { answerOf, api } from "@/api/client";
import type { TaskShape } from "@/api/schema";
import type { Span } from "@/components/SpanPicker";
import { isAtWork } from "@/pages/tasks/taskMoves";

const OFTEN = 2_000; // milliseconds
const SELDOM = 5_000;

export function useTask(taskId: string) {
  const path = { task_id: taskId };
  return useQuery({
    queryKey: ["task", taskId],
    queryFn: ({ signal }) => answerOf(api.GET("/api/v1/tasks/{task_id}", { params: { path }, signal })),
  });
}

export function useProgress(task: TaskShape, enabled: boolean) {
  const path = { task_id: task.id };
  return useQuery({
    queryKey: ["task", task.id, "progress"],
    queryFn: ({ signal }) =>
      answerOf(api.GET("/api/v1/tasks/{task_id}/progress", { params: { path }, signal })),
    refetchInterval: isAtWork(task.status) ? OFTEN : false,
    enabled,
  });
}

export function useSeries(task: TaskShape, span: Span, enabled = true) {
  const path = { task_id: task.id };
  return useQuery({
    queryKey: ["series", "task", task.id, span],
    queryFn: ({ signal }) =>
      answerOf(api.GET("/api/v1/tasks/{task_id}/series", { params: { path, query: { span } }, signal })),
    refetchInterval: isAtWork(task.status) ? SELDOM : false,
    enabled,
  });
}

export function useExplanation(task: TaskShape) {
  const path = { task_id: task.id };
  return useQuery({
    queryKey: ["task", task.id, "explain"],
    queryFn: ({ signal }) =>
      answerOf(api.GET("/api/v1/tasks/{task_id}/explain", { params: { path }, signal })),
    refetchInterval: task.status === "pending" || task.status === "waiting" ? SELDOM : false,
  });
}

export function useHosts(task: TaskShape, limit: number) {
  const path = { task_id: task.id };
  return useQuery({
    queryKey: ["hosts", "task", task.id],
    queryFn: ({ signal }) =>
      answerOf(api.GET("/api/v1/tasks/{task_id}/hosts", { params: { path, query: { limit } }, signal })),
    refetchInterval: isAtWork(task.status) ? SELDOM : false,
  });
}
