/** The same as `start-texts.en.ts`, in Spanish: names in `import.meta.glob` must be literal. */
export default {
  ...import.meta.glob(['../../app/shell.es.json', './shared.es.json', '../deletions/deletions.es.json'], {
    eager: true,
    import: 'default',
  }),
  ...import.meta.glob('../../features/*/index.es.json', { eager: true, import: 'default' }),
  ...import.meta.glob('../../../../electron/contract/*.es.json', {
    eager: true,
    import: 'default',
    query: '?catalogue',
  }),
}
