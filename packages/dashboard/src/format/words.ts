/** Words of the API as people read them: the same words, in sentence case. */

export function words(name: string): string {
  const text = name.replace(/[_-]/g, ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The end of an id is what tells two apart. */
export function shortId(id: string): string {
  const at = id.lastIndexOf('_')
  return at < 0 || id.length - at < 12 ? id : `${id.slice(0, at + 1)}…${id.slice(-5)}`
}

/** "1 refund", "2 refunds". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

export function modeOf(id: string): 'live' | 'test' | null {
  const match = /_(live|test)_[^_]*$/.exec(id)
  return match === null ? null : (match[1] as 'live' | 'test')
}
