/** The value of a JSON string; undefined if it is not JSON. For strings from other systems. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
