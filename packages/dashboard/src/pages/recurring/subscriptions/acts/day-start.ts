/** The beginning of a day as the API wants it. Days of billing are those of UTC unless an anchor says otherwise. */
export function dayStart(day: string): string | null {
  return /^\d{4}-\d{2}-\d{2}$/.test(day) ? `${day}T00:00:00.000Z` : null
}
