/** Ids in the layout of every page and its search, which a heading must not use. */
const reservedIds = /^(content|navigation|hits|(section|hit)-\d+)$/

/** The anchor that GitHub gives to a heading. If it is already used, a number is added. Has no side effects. */
export function anchorFor(heading: string, used: ReadonlySet<string>): string {
  const plain = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
  const slug = plain.replaceAll(' ', '-')
  let name = slug
  for (let suffix = 1; used.has(name) || reservedIds.test(name); suffix += 1) name = `${slug}-${suffix}`
  return name
}
