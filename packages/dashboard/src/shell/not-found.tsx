import { PageHead } from '../ui/panel.tsx'

export function NotFound() {
  return (
    <>
      <PageHead title="There is no such page." />
      <p>The address may be cut off, or the page has moved.</p>
      <p className="mt-3">
        <a href="/" className="text-lock underline">
          Go to the start
        </a>
      </p>
    </>
  )
}
