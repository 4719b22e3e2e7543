import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { Page } from "@/components/Page";
import { EventFilters } from "./EventFilters";
import { EventStream } from "./EventStream";
import { filterIn } from "./eventFilter";

export function Component() {
  const { t } = useTranslation("events");
  const [params, setParams] = useSearchParams();
  const filter = filterIn(params);
  const text = params.get("text") ?? "";
  return (
    <Page title={t("title")} description={t("description")}>
      <EventFilters
        filter={filter}
        text={text}
        onChange={(name, value) =>
          setParams(
            (before) => {
              if (value === "") before.delete(name);
              else before.set(name, value);
              return before;
            },
            { replace: true },
          )
        }
        onClear={() => setParams({})}
      />
      <EventStream key={JSON.stringify(filter)} filter={filter} text={text} />
    </Page>
  );
}
