import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { answerOf, api } from "@/api/client";
import { Failure } from "@/components/Failure";
import { Page } from "@/components/Page";
import { useLive } from "@/live/LiveProvider";
import { Attention } from "./Attention";
import { ClusterCharts } from "./ClusterCharts";
import { FirstSteps } from "./FirstSteps";
import { NumberTiles } from "./NumberTiles";
import { RecentTasks } from "./RecentTasks";

/** The first page: what needs attention, how the cluster is, how it was. */
export function Component() {
  const { t } = useTranslation("overview");
  const { snapshot } = useLive();
  const overview = useQuery({
    queryKey: ["overview"],
    queryFn: ({ signal }) => answerOf(api.GET("/api/v1/system/overview", { signal })),
  });
  return (
    <Page title={t("title")} description={t("description")}>
      <Attention />
      {overview.data !== undefined && <FirstSteps overview={overview.data} />}
      {overview.data !== undefined && <NumberTiles overview={overview.data} point={snapshot?.point} />}
      {overview.isPending && <Skeleton height={90} />}
      {overview.isError && overview.data === undefined && (
        <Failure error={overview.error} onRetry={() => void overview.refetch()} />
      )}
      <ClusterCharts />
      <RecentTasks />
    </Page>
  );
}
