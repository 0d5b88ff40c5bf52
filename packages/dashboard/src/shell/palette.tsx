/** Search by exact keys, and every place by its name. An id leads to its page, also in another workspace. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { useEffect, useRef, useState } from 'react'
import { useHere } from '../api/workspace.tsx'
import { modeOf, words } from '../format/words.ts'
import { useModal } from '../ui/modal.ts'
import { useQuiet } from '../ui/quiet.ts'
import { sentenceOf } from '../ui/states.tsx'
import { pageOf, places } from './navigation.ts'

type Entry = { readonly value: string; readonly text: string; readonly beside: string; readonly to: string }

/** Shorter texts are no key of anything. */
const leastLength = 3

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
  const { entries, isLooking, error } = useEntries(text.trim())
  const first = entries[0]?.value ?? ''
  // What has just been found is what Enter opens.
  useEffect(() => select(first), [first])
  return (
    <Command label="Search" loop shouldFilter={false} value={selected} onValueChange={select}>
      <Command.Input
        value={text}
        onValueChange={setText}
        placeholder="An id, e-mail, order number, provider's reference, or a page"
        className="w-full border-b border-line bg-transparent px-4 py-3 text-sentence outline-none"
      />
      <Command.List className="max-h-[50dvh] overflow-auto p-2">
        <Command.Empty className="px-3 py-2 text-ink2">{emptyText(isLooking, error)}</Command.Empty>
        {entries.map(({ value, text: title, beside, to }) => (
          <Command.Item
            key={value}
            value={value}
            onSelect={() => {
              close()
              void navigate({ to })
            }}
            className="flex cursor-pointer items-baseline justify-between gap-3 rounded-control px-3 py-2 data-[selected=true]:bg-lock-soft data-[selected=true]:text-lock"
          >
            <span className="min-w-0 break-words">{title}</span>
            <span className="text-compact text-ink2">{beside}</span>
          </Command.Item>
        ))}
      </Command.List>
    </Command>
  )
}

function emptyText(isLooking: boolean, error: Error | null): string {
  if (error !== null) return sentenceOf(error)
  return isLooking ? 'Looking…' : 'Nothing has exactly this id, e-mail, number or name.'
}

/** What the text may mean: an id of the other mode, what the server finds by it, then places. */
function useEntries(text: string): Found & { readonly entries: readonly Entry[] } {
  const { workspace } = useHere()
  const { hits, ...found } = useHits(text)
  const elsewhere = useElsewhere(text)
  const lower = text.toLowerCase()
  const named = places
    .filter((place) => place.text.toLowerCase().includes(lower))
    .map(({ text: name, to }) => {
      return { value: `place ${name}`, text: name, beside: 'Page', to: `/${workspace.id}${to}` }
    })
  return { entries: [...elsewhere, ...hits, ...named], ...found }
}

type Found = { readonly isLooking: boolean; readonly error: Error | null }

function useHits(typed: string): Found & { readonly hits: readonly Entry[] } {
  const { workspace, api } = useHere()
  const text = useQuiet(typed)
  const { data, isFetching, error } = useQuery({
    queryKey: [workspace.id, 'search', text],
    queryFn: ({ signal }) => api.search(text, { signal }),
    enabled: text.length >= leastLength,
    staleTime: 5_000,
  })
  const found = text.length < leastLength ? [] : (data?.data ?? [])
  const hits = found.map(({ id, object, title, detail }) => ({
    value: id,
    text: title,
    beside: detail ?? words(object),
    to: `/${workspace.id}${pageOf(id) ?? ''}`,
  }))
  return { hits, isLooking: isFetching || text !== typed, error }
}

/** An id says which mode it is of, so the workspaces of that mode are where it may be. */
function useElsewhere(text: string): readonly Entry[] {
  const { workspace, session } = useHere()
  const mode = modeOf(text)
  const to = pageOf(text)
  if (mode === null || mode === workspace.mode || to === null) return []
  return session.workspaces
    .filter((other) => other.mode === mode)
    .map(({ id, name }) => {
      const open = `Switch to ${name}, ${mode}, and open it there`
      return { value: id, text: open, beside: 'Workspace', to: `/${id}${to}` }
    })
}
