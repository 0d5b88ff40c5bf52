/** Filters of a list. They stand in the address, so that a link shows what its sender sees. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { words } from '../format/words.ts'

type Named = {
  readonly name: string
  readonly label: string
  /** The API takes one of such filters at a time: choosing one lets go of the others. */
  readonly isAlone?: boolean
}
export type Filter =
  | (Named & {
      readonly options: readonly string[]
      /** How an option reads, if not as a word of the API does. */
      readonly textOf?: (option: string) => string
      /** What holds while nothing is chosen, for a list that always has this filter. */
      readonly fallback?: string
    })
  | (Named & { readonly placeholder: string; readonly type?: 'text' | 'date' })

export type Chosen = { readonly [name: string]: string | undefined }

export function useFilters(filters: readonly Filter[]): {
  readonly chosen: Chosen
  readonly set: (name: string, value: string | undefined) => void
  readonly clear: () => void
} {
  const search: Chosen = useSearch({ strict: false })
  const navigate = useNavigate()
  const names = filters.map(({ name }) => name)
  const chosen = Object.fromEntries(
    names.map((name) => [name, search[name]]).filter(([, value]) => value !== undefined && value !== ''),
  )
  const go = (next: Chosen) =>
    void navigate({ to: '.', search: ((before: object) => ({ ...before, ...next })) as never, replace: true })
  const rivalsOf = (name: string) =>
    filters.some((filter) => filter.name === name && filter.isAlone)
      ? filters.filter((one) => one.isAlone)
      : []
  return {
    chosen,
    set: (name, value) =>
      go({
        ...Object.fromEntries(rivalsOf(name).map((rival) => [rival.name, undefined])),
        [name]: value || undefined,
      }),
    clear: () => go(Object.fromEntries(names.map((name) => [name, undefined]))),
  }
}

export function FilterBar({ filters }: { filters: readonly Filter[] }) {
  const { chosen, set, clear } = useFilters(filters)
  // On a phone the list comes first.
  const [isOpen, setOpen] = useState(false)
  const count = Object.keys(chosen).length
  return (
    <search className="grid gap-2 border-b border-line px-4 py-2" aria-label="Filter">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="min-h-11 text-left font-bold text-ink2 md:hidden"
      >
        {isOpen ? 'Hide filters' : count === 0 ? 'Filter' : `Filter, ${count} set`}
      </button>
      <div className={`flex flex-wrap items-end gap-2 ${isOpen ? '' : 'max-md:hidden'}`}>
        {filters.map((filter) =>
          'options' in filter ? (
            <Choice key={filter.name} filter={filter} value={chosen[filter.name] ?? ''} set={set} />
          ) : (
            <Typed key={filter.name} filter={filter} value={chosen[filter.name] ?? ''} set={set} />
          ),
        )}
        {count > 0 && (
          <button
            type="button"
            onClick={clear}
            className="inline-flex min-h-8 items-center gap-1 px-2 text-compact font-bold text-ink2 hover:text-ink"
          >
            <X size={14} aria-hidden /> Clear filters
          </button>
        )}
      </div>
    </search>
  )
}

const box = 'min-h-8 max-md:min-h-11 rounded-control border border-edge bg-surface px-2 text-compact'

type Part<F> = { filter: F; value: string; set: (name: string, value: string | undefined) => void }

function Choice({ filter, value, set }: Part<Extract<Filter, { options: unknown }>>) {
  return (
    <label className="grid gap-0.5 text-compact text-ink2">
      {filter.label}
      <select
        value={value || filter.fallback}
        onChange={({ target }) => set(filter.name, target.value)}
        className={`${box} text-ink`}
      >
        {filter.fallback === undefined && <option value="">Any</option>}
        {filter.options.map((option) => (
          <option key={option} value={option}>
            {(filter.textOf ?? words)(option)}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Takes effect on Enter or when the field is left: each change is a new list. */
function Typed({ filter, value, set }: Part<Extract<Filter, { placeholder: string }>>) {
  const [text, setText] = useState(value)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => setText(value), [value])
  const commit = () => {
    if (text.trim() !== value) set(filter.name, text.trim())
  }
  return (
    <label className="grid gap-0.5 text-compact text-ink2">
      {filter.label}
      <input
        ref={field}
        type={filter.type ?? 'text'}
        value={text}
        placeholder={filter.placeholder}
        data-filter
        onChange={({ target }) => setText(target.value)}
        onBlur={commit}
        onKeyDown={({ key }) => {
          if (key === 'Enter') commit()
        }}
        className={`${box} text-ink ${filter.type === 'date' ? 'w-36' : 'w-52'}`}
      />
    </label>
  )
}
