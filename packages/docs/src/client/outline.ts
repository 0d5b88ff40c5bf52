/** Marks the part that is being read in the outline beside the text. */
export function followOutline(): void {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>('.outline a')].map((link) => [link.hash.slice(1), link]),
  )
  const headings = [...links.keys()].map((id) => document.getElementById(decodeURIComponent(id)))
  const mark = (): void => {
    // The last heading above the upper third of the window is the one whose part is read.
    const passed = headings.filter(
      (heading) => heading !== null && heading.getBoundingClientRect().top < innerHeight / 3,
    )
    const here = passed.at(-1)?.id
    for (const [id, link] of links) {
      if (decodeURIComponent(id) === here) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
    }
  }
  if (headings.length === 0) return
  mark()
  addEventListener('scroll', mark, { passive: true })
}
