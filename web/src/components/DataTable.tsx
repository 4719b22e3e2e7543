/** A table whose order, pages and selection belong to whoever shows it: the server sorts and pages. */
import { Checkbox, ScrollArea, Skeleton, Table, Text, UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowsSort, IconArrowUp } from "@tabler/icons-react";
import {
  type ColumnDef,
  type RowSelectionState,
  rowSelectionFeature,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { type ReactNode, useMemo } from "react";
import { useTranslation } from "react-i18next";

const features = tableFeatures({ rowSelectionFeature });

export interface Column<Row extends object> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  sort?: string; // what the API calls this order
  align?: "left" | "right";
  width?: number | string;
  hideBelow?: "sm" | "md" | "lg" | "xl";
}

interface Props<Row extends object> {
  label: string;
  columns: Column<Row>[];
  rows: Row[] | undefined; // undefined: not known yet
  rowId: (row: Row) => string;
  rowName?: (row: Row) => string;
  rowBackground?: (row: Row) => string | undefined; // for rows that must stand out
  empty?: ReactNode;
  sort?: string; // with a minus: descending
  onSort?: (sort: string) => void;
  selected?: ReadonlySet<string>;
  onSelect?: (selected: Set<string>) => void;
}

const SKELETON_ROWS = 5;

export function DataTable<Row extends object>(props: Props<Row>) {
  const { t } = useTranslation();
  const { columns, rows, rowId, selected, onSelect } = props;
  const rowSelection = useMemo<RowSelectionState>(
    () => Object.fromEntries([...(selected ?? [])].map((id) => [id, true as const])),
    [selected],
  );
  const definitions = useMemo<ColumnDef<typeof features, Row>[]>(
    () =>
      columns.map((column) => ({
        id: column.id,
        header: column.header,
        cell: ({ row }) => column.cell(row.original),
      })),
    [columns],
  );
  const table = useTable({
    features,
    columns: definitions,
    data: rows ?? NOTHING,
    getRowId: rowId,
    state: { rowSelection },
    enableRowSelection: onSelect !== undefined,
    onRowSelectionChange: (change) => {
      const next = typeof change === "function" ? change(rowSelection) : change;
      onSelect?.(new Set(Object.keys(next).filter((id) => next[id])));
    },
  });
  const places = new Map(columns.map((column) => [column.id, column]));

  return (
    <ScrollArea type="auto" viewportProps={{ tabIndex: 0, "aria-label": props.label, role: "region" }}>
      <Table highlightOnHover verticalSpacing="xs" aria-label={props.label} aria-busy={rows === undefined}>
        <Table.Thead>
          <Table.Tr>
            {onSelect !== undefined && (
              <Table.Th w={36}>
                <Checkbox
                  size="xs"
                  aria-label={t("table.selectAll")}
                  checked={rows !== undefined && rows.length > 0 && table.getIsAllRowsSelected()}
                  indeterminate={table.getIsSomeRowsSelected()}
                  onChange={(event) => table.toggleAllRowsSelected(event.currentTarget.checked)}
                />
              </Table.Th>
            )}
            {columns.map((column) => (
              <HeaderCell key={column.id} column={column} sort={props.sort} onSort={props.onSort} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows === undefined && <SkeletonRows columns={columns.length + (onSelect === undefined ? 0 : 1)} />}
          {rows?.length === 0 && (
            <Table.Tr>
              <Table.Td colSpan={columns.length + 1}>
                <Text c="dimmed" ta="center" py="lg" component="div">
                  {props.empty ?? t("table.empty")}
                </Text>
              </Table.Td>
            </Table.Tr>
          )}
          {table.getRowModel().rows.map((row) => (
            <Table.Tr
              key={row.id}
              bg={
                row.getIsSelected()
                  ? "var(--mantine-primary-color-light)"
                  : props.rowBackground?.(row.original)
              }
            >
              {onSelect !== undefined && (
                <Table.Td>
                  <Checkbox
                    size="xs"
                    aria-label={t("table.selectRow", { name: props.rowName?.(row.original) ?? row.id })}
                    checked={row.getIsSelected()}
                    onChange={row.getToggleSelectedHandler()}
                  />
                </Table.Td>
              )}
              {row.getAllCells().map((cell) => {
                const place = places.get(cell.column.id);
                return (
                  <Table.Td key={cell.id} ta={place?.align} visibleFrom={place?.hideBelow}>
                    {table.FlexRender({ cell })}
                  </Table.Td>
                );
              })}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  );
}

const NOTHING: never[] = [];

interface HeaderProps<Row extends object> {
  column: Column<Row>;
  sort: string | undefined;
  onSort: ((sort: string) => void) | undefined;
}

function HeaderCell<Row extends object>({ column, sort, onSort }: HeaderProps<Row>) {
  const { t } = useTranslation();
  const order = column.sort;
  const direction = sort === order ? "ascending" : sort === `-${order}` ? "descending" : "none";
  if (order === undefined || onSort === undefined) {
    return (
      <Table.Th ta={column.align} w={column.width} visibleFrom={column.hideBelow}>
        {column.header}
      </Table.Th>
    );
  }
  const Icon =
    direction === "ascending" ? IconArrowUp : direction === "descending" ? IconArrowDown : IconArrowsSort;
  return (
    <Table.Th ta={column.align} w={column.width} visibleFrom={column.hideBelow} aria-sort={direction}>
      <UnstyledButton
        fz="inherit"
        fw="inherit"
        title={t("table.sort", { name: column.header })}
        onClick={() => onSort(direction === "descending" ? order : `-${order}`)}
      >
        {column.header} <Icon size={13} aria-hidden style={{ verticalAlign: "-2px" }} />
      </UnstyledButton>
    </Table.Th>
  );
}

function SkeletonRows({ columns }: { columns: number }) {
  return Array.from({ length: SKELETON_ROWS }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they have no identity
    <Table.Tr key={row}>
      <Table.Td colSpan={columns}>
        <Skeleton height={14} />
      </Table.Td>
    </Table.Tr>
  ));
}
