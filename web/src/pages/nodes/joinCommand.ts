/** The command that makes a machine a node of this cluster. Apart from React. */

export interface Join {
  origin: string; // where the master is
  token: string | null; // null: not made yet
  deviceId: string;
  slots: number | null;
}

export const TOKEN = "TOKEN"; // stands for a token that is not known

const DEVICE_ID = /^[A-Za-z0-9._-]{1,64}$/;
const LOOPBACK = /^(localhost|127\.[0-9.]+|\[::1\])$/;

export function joinCommand({ origin, token, deviceId, slots }: Join): string {
  const parts = [
    "crawlmesh distribute --mode worker",
    `--master-url ${origin}`,
    `--join-token ${token ?? TOKEN}`,
  ];
  if (deviceId !== "" && isDeviceId(deviceId)) parts.push(`--device-id ${deviceId}`);
  if (slots !== null) parts.push(`--concurrent-tasks ${slots}`);
  return parts.join(" ");
}

export function isDeviceId(text: string): boolean {
  return DEVICE_ID.test(text);
}

/** Whether only the machine itself reaches this host name. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}
