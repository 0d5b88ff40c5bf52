/** Marks the current section in the outline. */
export function highlightOutline(): void {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>('.outline a')].map((link) => [link.hash.slice(1), link]),
  )
  const headings = [...links.keys()].map((id) => document.getElementById(decodeURIComponent(id)))
  const update = (): void => {
    // The current section belongs to the last heading in or above the upper third of the window.
    const headingsAbove = headings.filter(
      (heading) => heading !== null && heading.getBoundingClientRect().top < innerHeight / 3,
    )
    const currentId = headingsAbove.at(-1)?.id
    for (const [id, link] of links) {
      if (decodeURIComponent(id) === currentId) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
    }
  }
  if (headings.length === 0) return
  update()
  addEventListener('scroll', update, { passive: true })
}
