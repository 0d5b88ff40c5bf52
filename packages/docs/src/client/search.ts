/**
 * The search dialog. Results are grouped by section. It works with the keyboard alone, and `aria-activedescendant`
 * announces the selected result to screen readers.
 */

import { createElement } from './create-element.ts'
import { createSearch, type Hit, type SearchFunction } from './find.ts'
import type { SearchData } from './search-data.ts'

let dialog: HTMLDialogElement | null = null

export function openSearch(indexAddress: string): void {
  dialog ??= createDialog(loadOnce(indexAddress))
  if (!dialog.open) dialog.showModal()
  dialog.querySelector('input')?.select()
}

function loadOnce(address: string): () => Promise<SearchFunction> {
  let loading: Promise<SearchFunction> | null = null
  return () => {
    loading ??= fetch(address)
      .then((response) => response.json())
      .then((data: SearchData) => createSearch(data))
    // After a failed download, the next input tries again.
    loading.catch(() => {
      loading = null
    })
    return loading
  }
}

function createDialog(load: () => Promise<SearchFunction>): HTMLDialogElement {
  const list = createElement('div', { id: 'hits', role: 'listbox', ariaLabel: 'Search results' })
  const status = createElement('p', {
    role: 'status',
    textContent: 'Type a word, a code, an event or an operation.',
  })
  const input = createElement('input', {
    type: 'search',
    role: 'combobox',
    ariaLabel: 'Search the documentation',
    ariaExpanded: 'false',
    autocomplete: 'off',
    spellcheck: false,
    placeholder: 'Search',
  })
  input.setAttribute('aria-controls', 'hits')
  const close = createElement('button', { type: 'button', textContent: 'Close' })
  const field = createElement('div', { className: 'field' }, input, close)
  const box = createElement('dialog', { className: 'search-box', ariaLabel: 'Search' }, field, list, status)

  input.addEventListener('input', async () => {
    const find = await load().catch(() => null)
    if (find === null) status.textContent = 'The search could not be loaded. Type to try again.'
    else showHits(find(input.value), { list, status, input })
  })
  input.addEventListener('keydown', (event) => moveSelection(event, list, input))
  close.addEventListener('click', () => box.close())
  // A click outside the box has the dialog itself as its target.
  box.addEventListener('click', (event) => event.target === box && box.close())
  list.addEventListener('click', () => box.close())
  document.body.append(box)
  void load().catch(() => null)
  return box
}

type Parts = { readonly list: HTMLElement; readonly status: HTMLElement; readonly input: HTMLInputElement }

function showHits(hits: readonly Hit[], { list, status, input }: Parts): void {
  const query = input.value.trim()
  list.replaceChildren(...groupsOf(hits))
  input.ariaExpanded = String(hits.length > 0)
  if (query === '') status.textContent = 'Type a word, a code, an event or an operation.'
  else if (hits.length === 0) status.textContent = `No results for “${query}”. Try fewer or other words.`
  else status.textContent = hits.length === 1 ? '1 result' : `${hits.length} results`
  select(optionsIn(list)[0], list, input)
}

/** Sections are sorted by their best result. */
function groupsOf(hits: readonly Hit[]): HTMLElement[] {
  const sections = Map.groupBy(hits, ({ section }) => section)
  let count = 0
  return [...sections].map(([section, sectionHits]) => {
    const title = createElement('p', { textContent: section, ariaHidden: 'true' })
    const options = sectionHits.map((hit) => {
      count += 1
      return optionOf(hit, `hit-${count}`)
    })
    return createElement('div', { role: 'group', ariaLabel: section }, title, ...options)
  })
}

function optionOf({ title, heading, href, excerpt }: Hit, id: string): HTMLElement {
  const name = createElement('span', { className: 'name', textContent: heading === '' ? title : heading })
  const page = createElement('span', { className: 'page', textContent: heading === '' ? '' : title })
  const text = createElement('span', { className: 'excerpt', textContent: excerpt })
  return createElement(
    'a',
    { id, href, role: 'option', tabIndex: -1, ariaSelected: 'false' },
    name,
    page,
    text,
  )
}

function moveSelection(event: KeyboardEvent, list: HTMLElement, input: HTMLInputElement): void {
  const options = optionsIn(list)
  const index = options.findIndex((option) => option.ariaSelected === 'true')
  const steps: { readonly [key: string]: number } = { ArrowDown: index + 1, ArrowUp: index - 1 }
  const next = steps[event.key]
  if (next !== undefined && options.length > 0) {
    event.preventDefault()
    select(options.at(next % options.length), list, input)
  }
  if (event.key === 'Enter') options[index]?.click()
}

function select(selected: HTMLElement | undefined, list: HTMLElement, input: HTMLInputElement): void {
  for (const option of optionsIn(list)) option.ariaSelected = String(option === selected)
  if (selected === undefined) input.removeAttribute('aria-activedescendant')
  else input.setAttribute('aria-activedescendant', selected.id)
  selected?.scrollIntoView({ block: 'nearest' })
}

function optionsIn(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('[role="option"]')]
}
