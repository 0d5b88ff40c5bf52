/** Progressive enhancement: pages are complete without scripts. */
import { addCopyButtons } from './copy.ts'
import { highlightOutline } from './outline.ts'
import { addSearch } from './shortcuts.ts'
import { addThemeButton } from './themes.ts'

addSearch()
addCopyButtons()
highlightOutline()
limitKeyboardFocus()
scrollToCurrentPage()
addThemeButton()

// On small screens the menu is open while the URL fragment is #navigation. Escape closes it.
addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && location.hash === '#navigation') location.hash = '#content'
})

/** Scrolls the sidebar if the current page would be near or below its bottom. */
function scrollToCurrentPage(): void {
  const list = document.getElementById('navigation')
  const current = list?.querySelector<HTMLElement>('[aria-current]')
  if (list && current && current.offsetTop > list.clientHeight * 0.8)
    list.scrollTop = current.offsetTop - list.clientHeight / 3
}

/** Only scrollable elements are focusable with the keyboard. */
function limitKeyboardFocus(): void {
  const boxes = document.querySelectorAll<HTMLElement>('article [tabindex="0"]')
  const update = (): void => {
    for (const box of boxes) box.tabIndex = box.scrollWidth > box.clientWidth ? 0 : -1
  }
  update()
  addEventListener('resize', update)
  // Check again after fonts have loaded, because they change the width of lines.
  document.fonts.addEventListener('loadingdone', update)
}
