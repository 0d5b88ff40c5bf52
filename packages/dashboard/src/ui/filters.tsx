/** Filters of a list. They are stored in the URL, so that a shared link shows the same rows. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import { useObject } from '../api/queries.ts'
import { type Check, idCheck } from '../format/filter-check.ts'
import { sentenceCase } from '../format/text.ts'
import { useDebounced } from './debounced.ts'

type FilterBase = {
  readonly name: string
  readonly label: string
  /** Whether the API accepts only one of these filters at a time: setting one then clears the others. */
  readonly isExclusive?: boolean
}
export type Filter =
  | (FilterBase & {
      readonly options: readonly string[]
      /** The label of an option, if it differs from the API value. */
      readonly optionText?: (option: string) => string
      /** The default value, for a list that is always filtered. */
      readonly fallback?: string
    })
  | (FilterBase & {
      readonly placeholder: string
      readonly type?: 'text' | 'date'
      /** The kind of id that the filter takes: the filter applies only once the text is a valid id. */
      readonly kind?: string
      readonly check?: Check
    })

type TextFilter = Extract<Filter, { placeholder: string }>

function problemOf(filter: Filter, value: string): string | null {
  if (value === '' || 'options' in filter) return null
  return (filter.check ?? (filter.kind === undefined ? null : idCheck(filter.kind)))?.(value) ?? null
}

export type FilterValues = { readonly [name: string]: string | undefined }

export function useFilters(filters: readonly Filter[]): {
  readonly filterValues: FilterValues
  readonly set: (name: string, value: string | undefined) => void
  readonly clear: () => void
} {
  const search: FilterValues = useSearch({ strict: false })
  const navigate = useNavigate()
  const names = filters.map(({ name }) => name)
  const isValid = (filter: Filter) => {
    const value = search[filter.name] ?? ''
    return value !== '' && problemOf(filter, value) === null
  }
  const filterValues = Object.fromEntries(filters.filter(isValid).map(({ name }) => [name, search[name]]))
  const updateSearch = (next: FilterValues) =>
    void navigate({ to: '.', search: ((before: object) => ({ ...before, ...next })) as never, replace: true })
  const exclusiveFiltersOf = (name: string) =>
    filters.some((filter) => filter.name === name && filter.isExclusive)
      ? filters.filter((other) => other.isExclusive)
      : []
  return {
    filterValues,
    set: (name, value) =>
      updateSearch({
        ...Object.fromEntries(exclusiveFiltersOf(name).map((other) => [other.name, undefined])),
        [name]: value || undefined,
      }),
    clear: () => updateSearch(Object.fromEntries(names.map((name) => [name, undefined]))),
  }
}

export function FilterBar({ filters }: { filters: readonly Filter[] }) {
  const { filterValues, set, clear } = useFilters(filters)
  const searchValues: FilterValues = useSearch({ strict: false })
  // On a phone, the filters start collapsed, so that the list is visible.
  const [isOpen, setOpen] = useState(false)
  const count = Object.keys(filterValues).length
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
            <SelectFilterField
              key={filter.name}
              filter={filter}
              value={filterValues[filter.name] ?? ''}
              set={set}
            />
          ) : (
            <TextFilterField
              key={filter.name}
              filter={filter}
              value={searchValues[filter.name] ?? ''}
              set={set}
            />
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

type FilterFieldProps<F> = {
  filter: F
  value: string
  set: (name: string, value: string | undefined) => void
}

function SelectFilterField({ filter, value, set }: FilterFieldProps<Extract<Filter, { options: unknown }>>) {
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
            {(filter.optionText ?? sentenceCase)(option)}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Applied shortly after the last keystroke, or immediately on Enter and on blur. */
function TextFilterField({ filter, value, set }: FilterFieldProps<TextFilter>) {
  const [text, setText] = useState(value)
  const debounced = useDebounced(text)
  const problemId = useId()
  useEffect(() => setText(value), [value])
  const problem = problemOf(filter, text.trim())
  const commit = (next: string) => {
    const trimmed = next.trim()
    if (trimmed !== value && problemOf(filter, trimmed) === null) set(filter.name, trimmed)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs only when the debounced text changes.
  useEffect(() => {
    if (debounced === text) commit(debounced)
  }, [debounced])
  return (
    <div className="grid gap-0.5 text-compact text-ink2">
      <label className="grid gap-0.5">
        {filter.label}
        <input
          type={filter.type ?? 'text'}
          value={text}
          placeholder={filter.placeholder}
          data-filter
          aria-invalid={problem !== null}
          aria-describedby={problem === null ? undefined : problemId}
          onChange={({ target }) => setText(target.value)}
          onBlur={() => commit(text)}
          onKeyDown={({ key }) => {
            if (key === 'Enter') commit(text)
          }}
          className={`${box} text-ink ${filter.type === 'date' ? 'w-36' : 'w-52'}`}
        />
      </label>
      {problem !== null && debounced === text && (
        <p id={problemId} role="status" className="max-w-52 text-danger">
          {problem}
        </p>
      )}
      {problem !== null && filter.kind !== undefined && debounced === text && (
        <Suggestions kind={filter.kind} text={text.trim()} pick={(id) => set(filter.name, id)} />
      )}
    </div>
  )
}

/** Suggests the objects that the search finds for a name or an email address. */
function Suggestions(props: { kind: string; text: string; pick: (id: string) => void }) {
  const { kind, text, pick } = props
  const { data } = useObject(['search', text], (api, signal) => api.search(text, { signal }), {
    enabled: text.length >= 3,
  })
  const hits = (data?.data ?? []).filter(({ object }) => object === kind).slice(0, 5)
  if (text.length < 3 || hits.length === 0) return null
  return (
    <ul className="grid max-w-52 gap-1" aria-label="Suggestions">
      {hits.map(({ id, title }) => (
        <li key={id}>
          <button
            type="button"
            onClick={() => pick(id)}
            className="min-h-6 text-left text-info underline underline-offset-2 break-words max-md:min-h-11"
          >
            {title}
          </button>
        </li>
      ))}
    </ul>
  )
}
