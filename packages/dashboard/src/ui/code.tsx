/** Code and JSON blocks with a copy button. */
import { useState } from 'react'
import { useWorkspace } from '../api/workspace.tsx'
import { type ApiCall, curlOf, typescriptOf } from '../format/call.ts'
import { CopyButton } from './values.tsx'

export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className="relative min-w-0">
      <div className="absolute top-2 right-2">
        <CopyButton text={text} label={`Copy ${label}`} />
      </div>
      {/* It scrolls horizontally, so it must be reachable by keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above. */}
      <section tabIndex={0} aria-label={label} className="overflow-auto rounded-control bg-sunken p-3 pt-10">
        <pre className="font-mono text-compact whitespace-pre">{text}</pre>
      </section>
    </div>
  )
}

export function Json({ value, label = 'JSON' }: { value: unknown; label?: string }) {
  return <CodeBlock text={JSON.stringify(value, null, 2)} label={label} />
}

/** "Show as API call": the request of the form, ready to run. */
export function CodeCall(props: { call: ApiCall; open?: boolean; title?: string }) {
  const { call, open = false, title = 'Show as API call' } = props
  const { workspace } = useWorkspace()
  const [kind, setKind] = useState<'curl' | 'TypeScript'>('curl')
  const text = kind === 'curl' ? curlOf(call, workspace.address) : typescriptOf(call, workspace.address)
  return (
    <details open={open} className="border-t border-line pt-3">
      <summary className="cursor-pointer font-bold text-ink2 hover:text-ink">{title}</summary>
      <div className="mt-2 flex gap-2">
        {(['curl', 'TypeScript'] as const).map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={kind === name}
            onClick={() => setKind(name)}
            className="min-h-6 rounded-control border border-edge px-2 text-compact aria-pressed:bg-ink aria-pressed:text-surface"
          >
            {name}
          </button>
        ))}
      </div>
      <div className="mt-2">
        <CodeBlock text={text} label={kind} />
      </div>
    </details>
  )
}
