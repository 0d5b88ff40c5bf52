/** Opens the search with its button, `/` or Ctrl K. The search code is loaded on first use. */

export function addSearch(): void {
  const button = document.querySelector<HTMLButtonElement>('[data-act="search"]')
  const script = document.querySelector<HTMLScriptElement>('script[data-search-index]')
  const address = script?.dataset.searchIndex
  if (button === null || address === undefined) return
  const open = async (): Promise<void> => {
    const { openSearch } = await import('./search.ts')
    openSearch(address)
  }
  button.hidden = false
  button.addEventListener('click', open)
  addEventListener('keydown', (event) => {
    const isCtrlK = event.key === 'k' && (event.ctrlKey || event.metaKey)
    const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey
    if (!isCtrlK && !(isSlash && !isTyping(event.target))) return
    event.preventDefault()
    void open()
  })
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
}
