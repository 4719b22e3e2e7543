import { Text } from "@mantine/core";
import { Fragment, type ReactNode } from "react";
import classes from "./Facts.module.css";

export interface Fact {
  name: string;
  value: ReactNode;
}

/** Names and what they stand for. */
export function Facts({ facts }: { facts: Fact[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(({ name, value }) => (
        <Fragment key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" size="sm" m={0} className={classes.value}>
            {value}
          </Text>
        </Fragment>
      ))}
    </dl>
  );
}
