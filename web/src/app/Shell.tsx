/** Around every page: navigation, connection, account. */
import {
  ActionIcon,
  Anchor,
  AppShell,
  Burger,
  Group,
  Menu,
  NavLink,
  Stack,
  Text,
  Title,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import {
  IconActivity,
  IconBook,
  IconHome,
  IconListDetails,
  IconLogout,
  IconPlus,
  IconServer,
  IconSettings,
  IconUserCircle,
  IconWorld,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link, Outlet, useLocation } from "react-router";
import { ConnectionBadge, ConnectionBanner } from "@/app/ConnectionState";
import { LanguagePicker, SchemePicker } from "@/app/Preferences";
import classes from "@/app/Shell.module.css";
import { useMay, useSession, useSignOut } from "@/app/session";

const PLACES = [
  { to: "/", name: "overview", icon: IconHome, operators: false },
  { to: "/new", name: "newCrawl", icon: IconPlus, operators: true },
  { to: "/tasks", name: "tasks", icon: IconListDetails, operators: false },
  { to: "/nodes", name: "nodes", icon: IconServer, operators: false },
  { to: "/hosts", name: "hosts", icon: IconWorld, operators: false },
  { to: "/events", name: "events", icon: IconActivity, operators: false },
  { to: "/settings", name: "settings", icon: IconSettings, operators: false },
] as const;

export function Shell() {
  const { t } = useTranslation();
  const [opened, { toggle, close }] = useDisclosure();
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 208, breakpoint: "sm", collapsed: { mobile: !opened } }}
      padding="md"
    >
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <a href="#content" className={classes.skip}>
              {t("nav.skip")}
            </a>
            <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={t("nav.open")} />
            <img src="/favicon.svg" alt="" width={24} height={24} />
            <Title order={2} size="h4">
              {t("product")}
            </Title>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <ConnectionBadge />
            <Account />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={t("nav.main")}>
        <Navigation onChosen={close} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <ConnectionBanner />
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}

function Navigation({ onChosen }: { onChosen: () => void }) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const mayStart = useMay("operator");
  return (
    <Stack gap={2} h="100%">
      {PLACES.filter((place) => mayStart || !place.operators).map(({ to, name, icon: Icon }) => {
        const active = to === "/" ? pathname === "/" : pathname.startsWith(to);
        return (
          <NavLink
            key={to}
            component={Link}
            to={to}
            label={t(`nav.${name}`)}
            leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
            active={active}
            variant="filled"
            aria-current={active ? "page" : undefined}
            onClick={onChosen}
          />
        );
      })}
      <Anchor href="/docs" size="sm" mt="auto" p="xs" target="_blank" rel="noreferrer">
        <IconBook size={15} aria-hidden style={{ verticalAlign: "-2px" }} /> {t("nav.apiDocs")}
      </Anchor>
    </Stack>
  );
}

function Account() {
  const { t } = useTranslation();
  const session = useSession();
  const signOut = useSignOut();
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t("session.menu")}>
          <IconUserCircle size={22} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Text size="sm" p="xs">
          {t("session.signedInAs", { name: session.name, role: t(`roles.${session.role}`) })}
        </Text>
        <Stack gap={6} px="xs" pb="xs">
          <LanguagePicker />
          <SchemePicker />
        </Stack>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
          {t("session.signOut")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
