/**
 * Global search: objects through the API, and pages of the dashboard by name. Entering an id opens the page of the
 * object, even in another workspace.
 */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { useEffect, useRef, useState } from 'react'
import { useWorkspace } from '../api/workspace.tsx'
import { modeOf, sentenceCase } from '../format/text.ts'
import { useDebounced } from '../ui/debounced.ts'
import { useModal } from '../ui/modal.ts'
import { errorText } from '../ui/states.tsx'
import { navigationPages, objectPath } from './navigation.ts'

type SearchEntry = {
  readonly value: string
  readonly text: string
  readonly hint: string
  readonly to: string
}

/** Shorter search terms match too much to be useful. */
const minLength = 2

export default function Palette({ close }: { close: () => void }) {
  const box = useRef<HTMLDialogElement>(null)
  useModal(box)
  return (
    <dialog
      ref={box}
      aria-label="Search"
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      onClick={({ target }) => target === box.current && close()}
      onKeyDown={() => undefined}
      className="mx-auto mt-[12dvh] w-full max-w-[calc(100vw-24px)] rounded-dialog border border-edge bg-surface p-0 text-ink shadow-overlay md:max-w-160"
    >
      <Search close={close} />
    </dialog>
  )
}

function Search({ close }: { close: () => void }) {
  const [text, setText] = useState('')
  const [selected, select] = useState('')
  const navigate = useNavigate()
  const { entries, isSearching, error } = useEntries(text.trim())
  const first = entries[0]?.value ?? ''
  // Enter opens the first result.
  useEffect(() => select(first), [first])
  return (
    <Command label="Search" loop shouldFilter={false} value={selected} onValueChange={select}>
      <Command.Input
        value={text}
        onValueChange={setText}
        placeholder="Search by name, email, order number, card, ID or page"
        className="w-full border-b border-line bg-transparent px-4 py-3 text-sentence outline-none"
      />
      <Command.List className="max-h-[50dvh] overflow-auto p-2">
        <Command.Empty className="px-3 py-2 text-ink2">{emptyText(isSearching, error)}</Command.Empty>
        {entries.map(({ value, text: title, hint, to }) => (
          <Command.Item
            key={value}
            value={value}
            onSelect={() => {
              close()
              void navigate({ to })
            }}
            className="flex cursor-pointer items-baseline justify-between gap-3 rounded-control px-3 py-2 data-[selected=true]:bg-info-soft data-[selected=true]:text-info"
          >
            <span className="min-w-0 break-words">{title}</span>
            <span className="text-compact text-ink2">{hint}</span>
          </Command.Item>
        ))}
      </Command.List>
    </Command>
  )
}

function emptyText(isSearching: boolean, error: Error | null): string {
  if (error !== null) return errorText(error)
  return isSearching
    ? 'Searching…'
    : 'No results. Search by name, email, order number, last four digits or ID.'
}

/** The results: an id of the other mode, objects found by the server, then pages. */
function useEntries(text: string): SearchState & { readonly entries: readonly SearchEntry[] } {
  const { workspace } = useWorkspace()
  const { hits, ...state } = useHits(text)
  const otherModeEntries = useOtherModeEntries(text)
  const lower = text.toLowerCase()
  const matchingPages = navigationPages
    .filter((page) => page.text.toLowerCase().includes(lower))
    .map(({ text: name, to }) => {
      return { value: `page ${name}`, text: name, hint: 'Page', to: `/${workspace.id}${to}` }
    })
  return { entries: [...otherModeEntries, ...hits, ...matchingPages], ...state }
}

type SearchState = { readonly isSearching: boolean; readonly error: Error | null }

function useHits(typed: string): SearchState & { readonly hits: readonly SearchEntry[] } {
  const { workspace, api } = useWorkspace()
  const text = useDebounced(typed)
  const { data, isFetching, error } = useQuery({
    queryKey: [workspace.id, 'search', text],
    queryFn: ({ signal }) => api.search(text, { signal }),
    enabled: text.length >= minLength,
    staleTime: 5_000,
  })
  const results = text.length < minLength ? [] : (data?.data ?? [])
  const hits = results.map(({ id, object, title, detail }) => ({
    value: id,
    text: title,
    hint: detail ?? sentenceCase(object),
    to: `/${workspace.id}${objectPath(id) ?? ''}`,
  }))
  return { hits, isSearching: isFetching || text !== typed, error }
}

/** An id contains its mode, so the object can only be in workspaces of that mode. */
function useOtherModeEntries(text: string): readonly SearchEntry[] {
  const { workspace, session } = useWorkspace()
  const mode = modeOf(text)
  const to = objectPath(text)
  if (mode === null || mode === workspace.mode || to === null) return []
  return session.workspaces
    .filter((other) => other.mode === mode)
    .map(({ id, name }) => {
      const open = `Switch to ${name}, ${mode}, and open it`
      return { value: id, text: open, hint: 'Workspace', to: `/${id}${to}` }
    })
}
