import { useEffect, useRef, useState } from "react";
import { answerOf, api } from "@/api/client";
import { appended, type Log, NO_LINES } from "@/pages/task/logLines";

const AT_ONCE = 1_000; // lines of one answer
const PAUSE = 2_000; // milliseconds between two questions while the task runs

interface TaskLog {
  log: Log;
  loading: boolean; // the first lines are not there yet
  error: unknown;
}

/** The log of a task: all that there is, and then what comes as long as the task lives. */
export function useTaskLog(taskId: string, alive: boolean): TaskLog {
  const [state, setState] = useState<TaskLog>({ log: NO_LINES, loading: true, error: null });
  const lastId = useRef(0);

  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;

    const ask = async (): Promise<void> => {
      let more = false;
      try {
        const query = { after: lastId.current, limit: AT_ONCE };
        const params = { path: { task_id: taskId }, query };
        const { items, last_id } = await answerOf(
          api.GET("/api/v1/tasks/{task_id}/logs", { params, signal: stop.signal }),
        );
        if (stop.signal.aborted) return;
        more = items.length === AT_ONCE;
        lastId.current = Math.max(lastId.current, last_id);
        setState(({ log }) => ({ log: appended(log, items, last_id), loading: false, error: null }));
      } catch (error) {
        if (stop.signal.aborted) return;
        setState(({ log }) => ({ log, loading: false, error }));
      }
      if (more) void ask();
      else if (alive) timer = setTimeout(() => void ask(), PAUSE);
    };

    void ask();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [taskId, alive]);
  return state;
}
