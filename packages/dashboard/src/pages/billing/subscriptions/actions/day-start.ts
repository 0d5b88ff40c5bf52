/** The start of a day as an API timestamp. Billing days are in UTC unless the anchor has a time zone. */
export function dayStart(day: string): string | null {
  return /^\d{4}-\d{2}-\d{2}$/.test(day) ? `${day}T00:00:00.000Z` : null
}
