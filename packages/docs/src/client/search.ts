/**
 * The search, in a dialog: words in, passages out, grouped by the section they stand in. Everything can be done with
 * the keyboard; what is chosen is said to screen readers by `aria-activedescendant`.
 */
import { createFind, type Find, type Hit } from './find.ts'
import { make } from './make.ts'
import type { SearchData } from './search-data.ts'

let dialog: HTMLDialogElement | null = null

export function openSearch(indexAddress: string): void {
  dialog ??= build(loadOnce(indexAddress))
  if (!dialog.open) dialog.showModal()
  dialog.querySelector('input')?.select()
}

function loadOnce(address: string): () => Promise<Find> {
  let loading: Promise<Find> | null = null
  return () => {
    loading ??= fetch(address)
      .then((answer) => answer.json())
      .then((data: SearchData) => createFind(data))
    // A connection that broke is no reason to be without a search until the page is loaded again.
    loading.catch(() => {
      loading = null
    })
    return loading
  }
}

function build(load: () => Promise<Find>): HTMLDialogElement {
  const list = make('div', { id: 'hits', role: 'listbox', ariaLabel: 'Passages' })
  const said = make('p', { role: 'status', textContent: 'Type a word, a code, an event or an operation.' })
  const input = make('input', {
    ...{ type: 'search', role: 'combobox', ariaLabel: 'Search the documentation', ariaExpanded: 'false' },
    ...{ autocomplete: 'off', spellcheck: false, placeholder: 'Search' },
  })
  input.setAttribute('aria-controls', 'hits')
  const close = make('button', { type: 'button', textContent: 'Close' })
  const field = make('div', { className: 'field' }, input, close)
  const box = make('dialog', { className: 'search-box', ariaLabel: 'Search' }, field, list, said)

  input.addEventListener('input', async () => {
    const find = await load().catch(() => null)
    if (find === null) said.textContent = 'The search could not be loaded. Type again to try once more.'
    else show(find(input.value), { list, said, input })
  })
  input.addEventListener('keydown', (event) => walk(event, list, input))
  close.addEventListener('click', () => box.close())
  // A press beside the box is a press on the dialog itself.
  box.addEventListener('click', (event) => event.target === box && box.close())
  list.addEventListener('click', () => box.close())
  document.body.append(box)
  void load().catch(() => null)
  return box
}

type Parts = { readonly list: HTMLElement; readonly said: HTMLElement; readonly input: HTMLInputElement }

function show(hits: readonly Hit[], { list, said, input }: Parts): void {
  const words = input.value.trim()
  list.replaceChildren(...groupsOf(hits))
  input.ariaExpanded = String(hits.length > 0)
  if (words === '') said.textContent = 'Type a word, a code, an event or an operation.'
  else if (hits.length === 0) said.textContent = `Nothing is found for “${words}”. Try fewer or other words.`
  else said.textContent = hits.length === 1 ? 'One passage' : `${hits.length} passages`
  mark(optionsIn(list)[0], list, input)
}

/** In the order of the best hit of each section. */
function groupsOf(hits: readonly Hit[]): HTMLElement[] {
  const sections = Map.groupBy(hits, ({ section }) => section)
  let count = 0
  return [...sections].map(([section, own]) => {
    const title = make('p', { textContent: section, ariaHidden: 'true' })
    const options = own.map((hit) => {
      count += 1
      return optionOf(hit, `hit-${count}`)
    })
    return make('div', { role: 'group', ariaLabel: section }, title, ...options)
  })
}

function optionOf({ title, heading, href, excerpt }: Hit, id: string): HTMLElement {
  const name = make('span', { className: 'name', textContent: heading === '' ? title : heading })
  const page = make('span', { className: 'page', textContent: heading === '' ? '' : title })
  const begins = make('span', { className: 'excerpt', textContent: excerpt })
  return make('a', { id, href, role: 'option', tabIndex: -1, ariaSelected: 'false' }, name, page, begins)
}

function walk(event: KeyboardEvent, list: HTMLElement, input: HTMLInputElement): void {
  const options = optionsIn(list)
  const at = options.findIndex((option) => option.ariaSelected === 'true')
  const steps: { readonly [key: string]: number } = { ArrowDown: at + 1, ArrowUp: at - 1 }
  const to = steps[event.key]
  if (to !== undefined && options.length > 0) {
    event.preventDefault()
    mark(options.at(to % options.length), list, input)
  }
  if (event.key === 'Enter') options[at]?.click()
}

function mark(chosen: HTMLElement | undefined, list: HTMLElement, input: HTMLInputElement): void {
  for (const option of optionsIn(list)) option.ariaSelected = String(option === chosen)
  if (chosen === undefined) input.removeAttribute('aria-activedescendant')
  else input.setAttribute('aria-activedescendant', chosen.id)
  chosen?.scrollIntoView({ block: 'nearest' })
}

function optionsIn(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('[role="option"]')]
}
