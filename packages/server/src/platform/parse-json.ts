/** The value that the text contains; undefined if it is not JSON. For texts from other systems. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
