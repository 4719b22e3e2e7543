import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { messageOf } from "@/api/errors";
import { notify } from "@/components/notify";

interface Options<Result> {
  done?: (result: Result) => string | null; // what to say when it worked
  refresh?: readonly (readonly unknown[])[]; // query keys that are stale afterwards
  onDone?: (result: Result) => void;
}

/** Something that a person does: it says how it went, and what it changed is asked for again. */
export function useAction<Input, Result>(
  act: (input: Input) => Promise<Result>,
  options: Options<Result> = {},
) {
  const { t } = useTranslation();
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: (result) => {
      const message = options.done?.(result);
      if (message) notify({ message, color: "green" });
      for (const queryKey of options.refresh ?? []) void client.invalidateQueries({ queryKey });
      options.onDone?.(result);
    },
    onError: (error) => {
      notify({ title: t("errors.title"), message: messageOf(error), color: "red" });
    },
  });
}
