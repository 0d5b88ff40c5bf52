/** Converts API names to sentence case: `past_due` becomes "Past due". */

export function sentenceCase(name: string): string {
  const text = name.replace(/[_-]/g, ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Shortens an id to its prefix and its last characters, which differ most. */
export function shortId(id: string): string {
  const separator = id.lastIndexOf('_')
  return separator < 0 || id.length - separator < 12 ? id : `${id.slice(0, separator + 1)}…${id.slice(-5)}`
}

/** "1 refund", "2 refunds". */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

export function modeOf(id: string): 'live' | 'test' | null {
  const match = /_(live|test)_[^_]*$/.exec(id)
  return match === null ? null : (match[1] as 'live' | 'test')
}
