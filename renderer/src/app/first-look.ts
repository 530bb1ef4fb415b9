import { setLanguage } from '../shared/i18n/catalogue.ts'
import { useTheme } from '../shared/theme/use-theme.ts'

/** The remembered language, set before the first catalogue loads, so that only its texts do. */
void setLanguage(useTheme().appearance.value.language)
