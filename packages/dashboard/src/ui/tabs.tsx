/** Tabs. The selected tab is stored in the URL, as `?tab=`. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

export type Tab = { readonly id: string; readonly text: string; readonly content: () => ReactNode }

export function Tabs({ tabs, label, name = 'tab' }: { tabs: readonly Tab[]; label: string; name?: string }) {
  const search: Record<string, string | undefined> = useSearch({ strict: false })
  const navigate = useNavigate()
  const [first] = tabs
  const selected = tabs.find(({ id }) => id === search[name])?.id ?? first?.id ?? ''
  const select = (id: string) =>
    void navigate({
      to: '.',
      search: ((before: object) => ({ ...before, [name]: id === first?.id ? undefined : id })) as never,
      replace: true,
      resetScroll: false,
    })
  return (
    <Radix.Root
      value={selected}
      onValueChange={select}
      className="rounded-panel border border-line bg-surface"
    >
      <Radix.List aria-label={label} className="flex overflow-x-auto border-b border-line px-2">
        {tabs.map(({ id, text }) => (
          <Radix.Trigger
            key={id}
            value={id}
            className="min-h-10 border-b-3 border-transparent px-3 whitespace-nowrap text-ink2 hover:text-ink data-[state=active]:border-ink data-[state=active]:font-bold data-[state=active]:text-ink"
          >
            {text}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(({ id, content }) => (
        <Radix.Content key={id} value={id} className="min-w-0">
          {id === selected && content()}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}
