/** What scripts add to a page that is whole without them. */
import { offerCopies } from './copy.ts'
import { followOutline } from './outline.ts'
import { offerSearch } from './shortcuts.ts'
import { offerThemes } from './themes.ts'

offerSearch()
offerCopies()
followOutline()
leaveOutOfTheWay()
showWhereWeAre()
offerThemes()

// The menu of a small screen is open while its address is shown. Escape closes what is open.
addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && location.hash === '#navigation') location.hash = '#content'
})

/** The sections are more than a screen: the page that is open stands in the upper half of what is seen of them. */
function showWhereWeAre(): void {
  const list = document.getElementById('navigation')
  const here = list?.querySelector<HTMLElement>('[aria-current]')
  if (list && here && here.offsetTop > list.clientHeight * 0.8)
    list.scrollTop = here.offsetTop - list.clientHeight / 3
}

/** What scrolls has to be reachable by keyboard; what does not scroll would only be in the way. */
function leaveOutOfTheWay(): void {
  const boxes = document.querySelectorAll<HTMLElement>('article [tabindex="0"]')
  const look = (): void => {
    for (const box of boxes) box.tabIndex = box.scrollWidth > box.clientWidth ? 0 : -1
  }
  look()
  addEventListener('resize', look)
  // A font that comes later makes lines longer.
  document.fonts.addEventListener('loadingdone', look)
}
