import js from '@eslint/js'
import prettier from 'eslint-config-prettier'
import vue from 'eslint-plugin-vue'
import ts from 'typescript-eslint'

const htmlTooltip = {
  selector: "Property[key.name='tooltip'] Property[key.name='formatter'] > :function",
  message: 'A tooltip function returns raw HTML: use a string formatter or renderMode richText.',
}

/** Folders whose texts are in catalogues. See renderer/README.md for how to convert one. */
const translated = [
  'renderer/src/app/**',
  'renderer/src/features/analytics/**',
  'renderer/src/features/campaigns/**',
  'renderer/src/features/connect/**',
  'renderer/src/features/{dnc,error-codes,scheduled}/**',
  'renderer/src/features/events/**',
  'renderer/src/features/contacts/**',
  'renderer/src/features/inbox/**',
  'renderer/src/features/imports/**',
  'renderer/src/features/overview/**',
  'renderer/src/features/outbox/**',
  'renderer/src/features/settings/**',
  'renderer/src/features/templates/**',
  'renderer/src/features/webhooks/**',
  'renderer/src/shared/{campaigns,charts,commands,connections,deletions,error-codes,format,i18n,list,messages,notifications,people,query}/**',
  'renderer/src/shared/{status,table,tasks,text,time,ui}/**',
]
const inCatalogue = 'Shown text belongs in a catalogue (<feature>.en.json).'
const sentences = [
  { selector: 'Literal[value=/^[A-Z“][^:/.]* [a-z’]{2,}[^:/]*$/]', message: inCatalogue },
  { selector: 'TemplateElement[value.raw=/[A-Za-z]{2,} [a-z]{2,}/]', message: inCatalogue },
]

export default ts.config(
  { ignores: ['out/', 'dist/', 'node_modules/', 'test-results/', 'playwright-report/'] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...vue.configs['flat/recommended'],
  {
    files: ['**/*.vue'],
    languageOptions: { parserOptions: { parser: ts.parser } },
  },
  {
    rules: {
      'no-undef': 'off',
      'no-console': 'error',
      eqeqeq: 'error',
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-non-null-assertion': 'off',
      'vue/no-v-html': 'error',
      'vue/multi-word-component-names': 'off',
      'vue/block-lang': ['error', { script: { lang: 'ts' } }],
      'vue/component-api-style': ['error', ['script-setup']],
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.property.name='findCredentials']",
          message: 'keytar.findCredentials crashes the process on a locked keyring.',
        },
        {
          selector: "ImportDeclaration[source.value='zod'] ImportSpecifier[imported.name='z']",
          message: "Use `import * as z from 'zod'`: the named import defeats tree shaking.",
        },
      ],
    },
  },
  {
    files: ['renderer/**'],
    rules: {
      'no-restricted-syntax': ['error', htmlTooltip],
    },
  },
  {
    files: translated,
    rules: {
      'no-restricted-syntax': ['error', htmlTooltip, ...sentences],
      'vue/no-restricted-syntax': [
        'error',
        ...sentences.map(({ selector, message }) => ({
          selector: `VExpressionContainer ${selector}`,
          message,
        })),
      ],
      'vue/no-bare-strings-in-template': [
        'error',
        {
          allowlist: ['·', '/', '→', '–', '—', '(', ')', ',', ':', '×', '<', '>'],
          attributes: {
            '/.+/': [
              'title',
              'aria-label',
              'aria-valuetext',
              'alt',
              'label',
              'hint',
              'text',
              'about',
              'placeholder',
              'confirm-label',
              'cancel-label',
              'retry-label',
              'undo-label',
              'description',
              'what',
            ],
          },
        },
      ],
    },
  },
  { files: ['test/**', 'electron/hosts/**', 'electron/sandbox/main.ts'], rules: { 'no-console': 'off' } },
  prettier,
)
