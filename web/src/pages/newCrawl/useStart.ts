/** Submits a task and goes to its page. */
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { answerOf, api } from "@/api/client";
import { useAction } from "@/components/useAction";

export function useStart() {
  const { t } = useTranslation("newCrawl");
  const navigate = useNavigate();
  return useAction(
    // The types ask for every value that has a default; the API does not.
    (task: object) => answerOf(api.POST("/api/v1/tasks", { body: task as never })),
    {
      done: ({ id, duplicate }) => (duplicate ? t("startedBefore") : t("started", { id })),
      refresh: [["tasks"], ["overview"]],
      onDone: ({ id }) => void navigate(`/tasks/${encodeURIComponent(id)}`),
    },
  );
}
