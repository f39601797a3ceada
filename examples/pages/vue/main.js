import { createApp } from 'vue';
import Newsletter from './Newsletter.vue';

createApp(Newsletter).mount('#app');
