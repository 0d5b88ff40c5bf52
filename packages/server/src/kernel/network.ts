/**
 * The networks that contain an IP address, so that rate limits count a whole network instead of each address. No side
 * effects.
 */

/**
 * From the smallest network to the largest. An IPv6 user has at least a /64, often a /56 and sometimes a /48.
 * An IPv4 address is counted alone: many people can share one, and its neighbours usually belong to others.
 */
export function networksOf(address: string): readonly string[] {
  const text = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!text.includes(':') || text.includes('.')) return [text]
  const groups = expand(text)
  const networkOfBits = (bits: number) => {
    const masked = groups.map((group, index) => group & maskOf(bits - index * 16))
    return `${masked
      .slice(0, 4)
      .map((group) => group.toString(16))
      .join(':')}/${bits}`
  }
  return [networkOfBits(64), networkOfBits(56), networkOfBits(48)]
}

/** The smallest network. */
export function networkOf(address: string): string {
  return networksOf(address)[0] as string
}

function expand(address: string): number[] {
  const [head = '', tail] = address.replace(/%.*$/, '').split('::')
  const parse = (text: string) =>
    text.split(':').flatMap((group) => (group === '' ? [] : [Number.parseInt(group, 16)]))
  const [first, last] = [parse(head), parse(tail ?? '')]
  return [...first, ...Array(Math.max(0, 8 - first.length - last.length)).fill(0), ...last]
}

/** A mask for the first `bits` bits of a 16-bit group. */
function maskOf(bits: number): number {
  const maskedBits = Math.min(16, Math.max(0, bits))
  return (0xffff << (16 - maskedBits)) & 0xffff
}
