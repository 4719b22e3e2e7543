/** Moments of the API as charts take them. */
export function unixSeconds(moment: string): number {
  return Date.parse(moment) / 1_000;
}
