/** What the frame of every page and its search have: a heading of that name would lead there. */
const ofFrame = /^(content|navigation|hits|(section|hit)-\d+)$/

/** Pure. The anchor that GitHub gives to a heading; the second of its name gets a number. */
export function anchorFor(heading: string, taken: ReadonlySet<string>): string {
  const plain = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
  const slug = plain.replaceAll(' ', '-')
  let name = slug
  for (let again = 1; taken.has(name) || ofFrame.test(name); again += 1) name = `${slug}-${again}`
  return name
}
