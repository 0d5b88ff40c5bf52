import { PageHead } from '../ui/panel.tsx'

export function NotFound() {
  return (
    <>
      <PageHead title="Page not found" />
      <p>The address may be incomplete, or the page may have moved.</p>
      <p className="mt-3">
        <a href="/" className="text-info underline">
          Go to Home
        </a>
      </p>
    </>
  )
}
