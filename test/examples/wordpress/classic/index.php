<!doctype html>
<html <?php language_attributes(); ?>>
	<head>
		<meta charset="utf-8">
		<meta name="viewport" content="width=device-width, initial-scale=1">
		<link rel="stylesheet" href="<?php echo esc_url( get_stylesheet_uri() ); ?>">
		<?php wp_head(); ?>
	</head>
	<body <?php body_class(); ?>>
		<main>
			<?php
			while ( have_posts() ) {
				the_post();
				the_title( '<h1>', '</h1>' );
				the_content();
			}
			?>
		</main>
		<?php
		the_widget( 'WP_Widget_Custom_HTML', array( 'content' => get_option( 'footer_html', '' ) ) );
		the_widget( 'WP_Widget_Text', array( 'text' => get_option( 'footer_text', '' ), 'visual' => true, 'filter' => true ) );
		?>
		<?php wp_footer(); ?>
	</body>
</html>
